from ..ends import End
from . import answers


@answers("upper")
def upper(end: End, peer, words):
    end.send(peer, *(word.upper() for word in words))


@answers("letters")
def letters(end: End, peer, words):
    end.send(peer, str(sum(map(len, words))))
