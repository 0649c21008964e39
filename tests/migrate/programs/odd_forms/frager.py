# vim: set fileencoding=latin-1 ts=8 noet:
from doca_comm_channel import Endpoint as Ende, open_device as öffne, \
     Again as Nochmal, ConnectionInprogress \
	as Unterwegs
import sys; import time as zeit

gerät = öffne("b1:00.0"); ep = \
    Ende(); ep.set_device(gerät)
(ep
 .set_max_msg_size)(64)
gegenüber = ep.connect('thermo' "meter")

def warte(sekunden=10, *,
	  ende=None):
	"""Indented with tabs, and not only."""
	ende = ende or zeit.time() + sekunden
	return lambda: zeit.time() < ende

läuft = warte()
while läuft():
	try: gegenüber.update_info(); break
	except Unterwegs: zeit.sleep(.0001)  # noch nicht
else: sys.exit(2)

def frage(text):
  # two spaces here
  läuft = warte()
  while läuft():
        try:
                ep.sendto(
                    text.encode('utf-8')   # as UTF-8
                    , gegenüber
                ); break
        except Nochmal: continue
  while läuft():
    try: antwort, _ = ep.recvfrom(64)
    except (
        Nochmal  # leer
    ):
      zeit.sleep(.0001)
    else: return antwort.decode('utf-8')

for wort in 'küche', "keller", '''dach''', "ende": print(f"{wort:8s}{frage(wort):>10}".encode('ascii', 'backslashreplace').decode())

if True: ep.disconnect(gegenüber); ep.destroy(); gerät.close()