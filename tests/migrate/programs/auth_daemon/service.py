"""Credentials for the host: a challenge first, then pushes with ids; is restarted once, and forgets everybody."""
import hashlib
import hmac
import json
import sys
import time
from dataclasses import dataclass
from typing import Dict

import doca_comm_channel as dcc

SECRET = b"not a secret"


@dataclass
class Session:
    peer: dcc.PeerAddr
    nonce: str
    trusted: bool = False


class AuthService:
    def __init__(self, device, rep):
        self.device, self.rep = device, rep
        self.sessions: Dict[dcc.PeerAddr, Session] = {}
        self.ep: dcc.Endpoint = None
        self.generation = 0

    def start(self):
        self.generation += 1
        self.ep = dcc.Endpoint()
        self.ep.set_device(self.device)
        self.ep.set_device_rep(self.rep)
        self.ep.listen("auth_daemon")
        print("listening, generation", self.generation)

    def restart(self):
        self.sessions.clear()
        self.ep.destroy()
        self.start()

    def send(self, session, **envelope):
        self.ep.sendto(json.dumps(envelope).encode(), session.peer)

    def handle(self, peer, envelope):
        """Whether to go on."""
        session = self.sessions.get(peer)
        kind = envelope["kind"]
        if kind == "hello":
            session = self.sessions[peer] = Session(peer, f"nonce {len(self.sessions)} of {self.generation}")
            self.send(session, kind="challenge", nonce=session.nonce)
        elif session is None:
            print("who is that?")
            self.ep.disconnect(peer)
        elif kind == "response":
            right = hmac.new(SECRET, session.nonce.encode(), hashlib.sha256).hexdigest()
            session.trusted = hmac.compare_digest(envelope["digest"], right)
            print("trusted" if session.trusted else "refused")
            self.send(session, kind="ready" if session.trusted else "denied")
        elif kind == "get" and session.trusted:
            print("pushed", envelope["id"])
            self.send(session, kind="credential", id=envelope["id"], generation=self.generation)
        elif kind == "restart":
            self.restart()
        elif kind == "end":
            self.send(session, kind="ended")
            return False
        else:
            self.send(session, kind="denied", id=envelope.get("id"))
        return True

    def run(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                data, peer = self.ep.recvfrom(1000)
            except dcc.Again:
                time.sleep(1e-4)
            except dcc.ConnectionReset as reset:
                self.sessions.pop(reset.connection, None)
                self.ep.disconnect(reset.connection)
            else:
                if not self.handle(peer, json.loads(data)):
                    return 0
        return 3


with dcc.open_device("03:00.0") as device, device.open_representor("b1:00.0") as rep:
    service = AuthService(device, rep)
    service.start()
    status = service.run(25)
    service.ep.destroy()
sys.exit(status)
