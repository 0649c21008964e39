"""Collects the words of each client; says how many there were when it asks."""

from __future__ import annotations

import doca_cc as cc
from peer import Engine, Sender, Session


class Collector:
    def __init__(self, server: cc.Server) -> None:
        self.server = server
        self.sender = Sender(server)
        self.sessions: dict[int, Session] = {}
        self.closed = 0
        server.event_msg_recv_register(self.on_message)
        server.event_connection_register(self.on_up, self.on_down)

    def on_up(self, event, connection: cc.Connection, ok: bool) -> None:
        session = Session(connection, len(self.sessions) + 1)
        self.sessions[session.number] = session
        connection.set_user_data(session)
        session.words.append(f"up {ok}")

    def on_message(self, event, buffer: bytes, length: int, connection: cc.Connection) -> None:
        session: Session = connection.get_user_data()
        text = buffer.decode()
        if text == "?":
            self.sender.send(session.connection, f"{len(session.words) - 1} words: {' '.join(session.words[1:])}")
        else:
            session.words.append(text)

    def on_down(self, event, connection: cc.Connection, ok: bool) -> None:
        connection.get_user_data().words.append("closed")
        self.closed += 1


def main() -> None:
    dev = cc.open_device("03:00.0")
    rep = dev.open_representor("b1:00.0")
    engine = Engine()
    collector = Collector(cc.Server(dev, rep, name="words"))
    ctx = engine.attach(collector.server)
    ctx.start()
    print("listening", flush=True)
    engine.until(lambda: collector.closed == 2)
    for number, session in sorted(collector.sessions.items()):
        print(number, session.words, collector.sender.errors)
    ctx.stop()
    collector.server.destroy()
    engine.pe.destroy()
    rep.close()
    dev.close()


if __name__ == "__main__":
    main()
