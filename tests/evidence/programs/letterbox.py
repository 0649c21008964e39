"""Something that is loaded by a name that is put together, so that no reader of the program sees it."""


class Box:
    def __init__(self):
        self.kept = []

    def put(self, thing):
        self.kept.append(thing)

    def take(self):
        return self.kept.pop()
