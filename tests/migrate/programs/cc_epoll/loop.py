"""An event loop over the engine's notification handle, as in the data sheets: arm, wait, clear, progress."""

import select

from doca_cc import ProgressEngine


class Loop:
    def __init__(self):
        self.engine = ProgressEngine()
        self.epoll = select.epoll()
        self.epoll.register(self.engine.get_notification_handle(), select.EPOLLIN)
        self.wakeups = 0

    def run(self, until):
        while not until():
            while self.engine.progress():
                if until():
                    return
            self.engine.request_notification()
            if self.epoll.poll(60):
                self.wakeups += 1
                self.engine.clear_notification(0)

    def close(self):
        self.epoll.close()
        self.engine.destroy()
