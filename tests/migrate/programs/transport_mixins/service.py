from transport import DpuTransport, StatisticsMixin


class CountingService(StatisticsMixin, DpuTransport):
    pass


service = CountingService("mixins", message_size=2000)
print("listening", flush=True)
for _ in range(3):
    service.write(service.read().title())
print(service.statistics())
assert service.busy["loops"] >= 0
service.close()
