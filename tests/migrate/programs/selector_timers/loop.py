"""A small event loop: a selector, timers on a heap, and channels that re-arm themselves."""
import heapq
import itertools
import selectors
import time


class Timer:
    __slots__ = ("cancelled", "function", "when")

    def __init__(self, when, function):
        self.when, self.function, self.cancelled = when, function, False

    def cancel(self):
        self.cancelled = True


class Loop:
    def __init__(self):
        self.selector = selectors.DefaultSelector()
        self.timers = []
        self.order = itertools.count()
        self.running = False

    def later(self, seconds, function):
        timer = Timer(time.monotonic() + seconds, function)
        heapq.heappush(self.timers, (timer.when, next(self.order), timer))
        return timer

    def watch(self, fd, function, rearm=None):
        self.selector.register(fd, selectors.EVENT_READ, (function, rearm))
        if rearm is not None:
            rearm()

    def forget(self, fd):
        self.selector.unregister(fd)

    def stop(self):
        self.running = False

    def run(self):
        self.running = True
        while self.running:
            wait = None
            while self.timers and self.timers[0][2].cancelled:
                heapq.heappop(self.timers)
            if self.timers:
                wait = max(0.0, self.timers[0][0] - time.monotonic())
            for key, _ in self.selector.select(wait):
                function, rearm = key.data
                function()
                if rearm is not None and self.selector.get_map().get(key.fd) is key:
                    rearm()
            while self.timers and self.timers[0][0] <= time.monotonic():
                _, _, timer = heapq.heappop(self.timers)
                if not timer.cancelled:
                    timer.function()
