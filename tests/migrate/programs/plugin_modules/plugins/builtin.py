from .base import Plugin


class Uptime(Plugin):
    def handle(self, context):
        context.reply("a while")


class Stop(Plugin):
    def handle(self, context):
        context.peer.update_info()
        context.reply(context.peer.get_recv_messages())
        return Plugin.STOP


class Counter(Plugin):
    total = 0

    def handle(self, context, by=1):
        self.total += int(by)
        context.peer.set_user_data(self.total)
        context.reply(context.peer.get_user_data())

    def close(self):
        print("counted to", self.total)
