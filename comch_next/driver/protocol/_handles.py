"""What the nouns hand out: opaque handles, one type per noun, which type checkers keep apart."""

from typing import NewType

__all__ = [
    *("Buf", "BufInventory", "Client", "Connection", "Consumer", "ConsumerCompletion", "Context", "Dev", "DevInfo"),
    *(
        "Dpa",
        "DpaCompletion",
        "DpaThread",
        "Engine",
        "Mmap",
        "MsgQ",
        "PostRecvTask",
        "Producer",
        "ProducerSendTask",
        "Rep",
        "RepInfo",
    ),
    *("SendTask", "Server", "Task"),
]

DevInfo = NewType("DevInfo", object)
Dev = NewType("Dev", object)
RepInfo = NewType("RepInfo", object)
Rep = NewType("Rep", object)
Engine = NewType("Engine", object)
Context = NewType("Context", object)
Server = NewType("Server", Context)
Client = NewType("Client", Context)
Consumer = NewType("Consumer", Context)
Producer = NewType("Producer", Context)
Connection = NewType("Connection", object)
Task = NewType("Task", object)
SendTask = NewType("SendTask", Task)
PostRecvTask = NewType("PostRecvTask", Task)
ProducerSendTask = NewType("ProducerSendTask", Task)
Mmap = NewType("Mmap", object)
BufInventory = NewType("BufInventory", object)
Buf = NewType("Buf", object)
MsgQ = NewType("MsgQ", object)
ConsumerCompletion = NewType("ConsumerCompletion", object)
Dpa = NewType("Dpa", object)
DpaThread = NewType("DpaThread", object)
DpaCompletion = NewType("DpaCompletion", object)
