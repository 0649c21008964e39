// Generation 1 in C++: endpoint and address as objects, the address destroyed first; lambdas as C callbacks.
#include <chrono>
#include <cstring>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <doca_argp.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_comm_channel.h>
#include <doca_log.h>
#include <doca_mmap.h>

DOCA_LOG_REGISTER(GUEST::CHANNEL);

namespace
{

void check(doca_error_t result, const char *what)
{
	if (result != DOCA_SUCCESS)
		throw std::runtime_error(std::string(what) + ": " + doca_error_get_name(result));
}

template <typename Object, doca_error_t (*destroy)(Object *)> struct Destroy {
	void operator()(Object *object) const { std::cout << "destroyed " << doca_error_get_name(destroy(object)) << '\n'; }
};

using Device = std::unique_ptr<doca_dev, Destroy<doca_dev, doca_dev_close>>;
using Representor = std::unique_ptr<doca_dev_rep, Destroy<doca_dev_rep, doca_dev_rep_close>>;
using Endpoint = std::unique_ptr<doca_comm_channel_ep_t, Destroy<doca_comm_channel_ep_t, doca_comm_channel_ep_destroy>>;

class Address
{
public:
	Address(doca_comm_channel_ep_t *endpoint, const char *name) : endpoint_(endpoint)
	{
		check(doca_comm_channel_ep_connect(endpoint, name, &peer_), "connect");
	}
	Address(const Address &) = delete;
	Address &operator=(const Address &) = delete;
	~Address() { std::cout << doca_error_get_name(doca_comm_channel_ep_disconnect(endpoint_, peer_)) << '\n'; }
	doca_comm_channel_addr_t *get() const { return peer_; }

private:
	doca_comm_channel_ep_t *endpoint_;
	doca_comm_channel_addr_t *peer_ = nullptr;
};

Device open(const std::string &address)
{
	doca_devinfo **list;
	uint32_t number;
	doca_dev *device = nullptr;

	check(doca_devinfo_create_list(&list, &number), "devices");
	for (auto *info : std::vector<doca_devinfo *>(list, list + number)) {
		char text[DOCA_DEVINFO_PCI_ADDR_SIZE];
		check(doca_devinfo_get_pci_addr_str(info, text), "address");
		if (address == text)
			check(doca_dev_open(info, &device), "open");
	}
	check(doca_devinfo_destroy_list(list), "devices");
	return Device(device);
}

Representor first_representor(doca_dev *device)
{
	doca_devinfo_rep **list;
	uint32_t number;
	doca_dev_rep *representor;

	check(doca_devinfo_rep_create_list(device, DOCA_DEVINFO_REP_FILTER_NET, &list, &number), "representors");
	check(doca_dev_rep_open(list[0], &representor), "open");
	check(doca_devinfo_rep_destroy_list(list), "representors");
	return Representor(representor);
}

Endpoint endpoint(doca_dev *device)
{
	doca_comm_channel_ep_t *raw;
	check(doca_comm_channel_ep_create(&raw), "create");
	Endpoint made(raw);
	check(doca_comm_channel_ep_set_device(raw, device), "device");
	return made;
}

template <typename Call> doca_error_t retry(Call call)
{
	const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
	doca_error_t result;
	while ((result = call()) == DOCA_ERROR_AGAIN && std::chrono::steady_clock::now() < deadline)
		std::this_thread::sleep_for(std::chrono::microseconds(10));
	return result;
}

std::string receive(doca_comm_channel_ep_t *endpoint)
{
	std::string text(4080, '\0');
	std::size_t length;
	doca_comm_channel_addr_t *peer;
	check(retry([&] {
		      length = text.size();
		      return doca_comm_channel_ep_recvfrom(endpoint, &text[0], &length, DOCA_CC_MSG_FLAG_NONE, &peer);
	      }),
	      "recvfrom");
	text.resize(length);
	return text;
}

} // namespace

int main()
try {
	auto dpu = open("0000:03:00.0"), host = open("0000:b1:00.0");
	auto representor = first_representor(dpu.get());
	auto service = endpoint(dpu.get());
	check(doca_comm_channel_ep_set_device_rep(service.get(), representor.get()), "representor");
	check(doca_comm_channel_ep_listen(service.get(), "guest c++"), "listen");
	auto client = endpoint(host.get());
	Address address(client.get(), "guest c++");
	std::thread serving([&] { std::cout << receive(service.get()) << '\n'; });
	const std::string text = "from C++";
	check(retry([&] {
		      return doca_comm_channel_ep_sendto(client.get(), text.data(), text.size(), DOCA_CC_MSG_FLAG_NONE,
							 address.get());
	      }),
	      "sendto");
	serving.join();
	doca_comm_channel_addr_t **peers;
	uint32_t number, pending;
	check(doca_comm_channel_ep_update_service_state_info(service.get()), "update");
	check(doca_comm_channel_ep_get_peer_addr_list(service.get(), &peers, &number), "list");
	check(doca_comm_channel_ep_get_pending_connections(service.get(), &pending), "pending");
	uint64_t received;
	check(doca_comm_channel_peer_addr_update_info(peers[0]), "info");
	check(doca_comm_channel_peer_addr_get_recv_bytes(peers[0], &received), "bytes");
	std::cout << number << " peer, " << pending << " pending, " << received << " bytes\n";
	DOCA_LOG_WARN("no backend, so nobody reads %s", "this");
	throw std::runtime_error("unwinding");
} catch (const std::exception &error) {
	std::cout << error.what() << '\n';
	return 0;
}
