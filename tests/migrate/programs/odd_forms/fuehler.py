#!/usr/bin/env python3
# -*- coding: utf-8 -*-
"""Größen und Maße: a thermometer on the DPU, edited by several people on several systems."""
import sys, \
	time
import doca_comm_channel as cc; from doca_comm_channel import ( DOCA_SUCCESS ,
	DOCA_ERROR_AGAIN ,  # nichts da
	DOCA_CC_MSG_FLAG_NONE as NONE,
		)

# ---------------------------------------------------------------- Fühler
class Fühler ( object ) :
	u"""A sensor, with its endpoint."""
	größe = 0x40
	def __init__ ( self , gerät , vertreter ) :
		self . gerät = gerät ; self . vertreter = vertreter
		rc , self . ep = cc . doca_comm_channel_ep_create ( )
		if rc : raise SystemExit ( rc )
		for rc in [ cc . doca_comm_channel_ep_set_device ( self . ep , gerät ) ,
			cc . doca_comm_channel_ep_set_device_rep ( self . ep ,
				vertreter ) , cc . doca_comm_channel_ep_set_max_msg_size \
			( self . ep , self . größe ) ] :
			if rc != DOCA_SUCCESS : raise SystemExit ( rc )
		self.messwerte = { "küche" : 2150 , "keller" : 1280 }
	def lausche ( self , name ) : return cc.doca_comm_channel_ep_listen ( self.ep , name )
	def antworte ( self , text , wem ) :
		daten = text.encode ( "utf-8" )
		while cc.doca_comm_channel_ep_sendto ( self.ep , daten , len ( daten ) , NONE , wem ) \
			== DOCA_ERROR_AGAIN : pass
	def frage(self):
		ende = time.time()+60
		while time.time()<ende:
			rc,daten,länge,wer=cc.doca_comm_channel_ep_recvfrom(self.ep,self.größe,NONE)
			if rc==DOCA_SUCCESS: return daten[:länge].decode("utf-8"),wer
			elif rc!=DOCA_ERROR_AGAIN: break
			time . sleep ( 1e-4 )
		return ( None , ) * 2

def haupt ( ) :
	gerät = cc.open_device("03:00.0") ; vertreter = gerät.open_representor ( "b1:00.0" )
	fühler = Fühler(gerät, vertreter); rc = fühler.lausche("thermo\
meter")
	if ( rc
		!= DOCA_SUCCESS ) : print ( cc.doca_error_get_name ( rc ) ) ; return 1
	print ( "listening" ) ; gefragt = 0
	while True :
		text , wer = fühler.frage ( )
		if text is None : break
		gefragt += 1
		if text == "ende" : fühler.antworte ( "tschüß" , wer ) ; break
		wert = fühler.messwerte.get ( text ) ; fühler.antworte ( "?" if wert is None else \
			"%.2f °C" % ( wert / 100 ) , wer )
	print ( gefragt , "Fragen" )
	rc = cc.doca_comm_channel_ep_destroy ( fühler.ep ) or cc.doca_dev_rep_close ( vertreter ) or \
		cc.doca_dev_close ( gerät ) ; return rc
if __name__ == "__main__" : sys.exit ( haupt ( ) )
