"""asyncio on the modern API: the conveniences of Client and Server, for tasks of one event loop, without a thread.

    async with aio.connect(device, "svc") as client:
        await client.send(b"hello")
        message = await client.receive()

    async def talk(connection):
        async for message in connection:
            await message.reply(message.data)

    async with aio.serve(device, "b1:00.0", "svc", talk) as server:
        await server.serve_forever()

Use `asyncio.timeout` or `asyncio.wait_for` for time limits. A cancelled call has no effect: a receive has taken
nothing, a send has sent nothing, a connect leaves nothing behind. But a cancelled broadcast has reached the clients
that had room, and a cancelled call of a Stream gives the stream up. Errors are those of comch_next. The loop must have
`add_reader`, else NotSupported is raised. With COMCH_PULL=threaded there is a helper thread, as without asyncio.
Guide: DOCA Core, Progress Engine and event-driven notification; Comch, Client and Server.
"""

# _connection  Connection, Message     _side     what both ends share
# _client      connect, Client         _server   serve, Server         _handling  a task for each client
# _stream      Stream                  _steps    how it waits

from comch_next.aio._client import Client, connect
from comch_next.aio._connection import Connection, Message
from comch_next.aio._server import Server, serve
from comch_next.aio._stream import Stream

__all__ = ["Client", "Connection", "Message", "Server", "Stream", "connect", "serve"]
