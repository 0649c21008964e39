/* What each device and representor can do: every question that a program may ask before it opens one. */
#include "field.h"

#include <doca_version.h>

static const char *yes(uint8_t answer)
{
	return answer ? "yes" : "no";
}

static doca_error_t show_limits(struct doca_devinfo *devinfo)
{
	uint32_t name = 0, msg = 0, queue = 0, clients = 0, tasks = 0, posts = 0, imm = 0, lists = 0, consumers = 0;
	uint8_t exports = 0, imports = 0;
	doca_error_t result = DOCA_SUCCESS;

	field_keep(&result, doca_comch_cap_get_max_name_len(devinfo, &name));
	field_keep(&result, doca_comch_cap_get_max_msg_size(devinfo, &msg));
	field_keep(&result, doca_comch_cap_get_max_recv_queue_size(devinfo, &queue));
	field_keep(&result, doca_comch_cap_get_max_clients(devinfo, &clients));
	field_keep(&result, doca_comch_cap_get_max_send_tasks(devinfo, &tasks));
	field_keep(&result, doca_comch_consumer_cap_get_max_num_tasks(devinfo, &posts));
	field_keep(&result, doca_comch_consumer_cap_get_max_imm_data_len(devinfo, &imm));
	field_keep(&result, doca_comch_consumer_cap_get_max_buf_list_len(devinfo, &lists));
	field_keep(&result, doca_comch_consumer_cap_get_max_consumers(devinfo, &consumers));
	field_keep(&result, doca_mmap_cap_is_export_pci_supported(devinfo, &exports));
	field_keep(&result, doca_mmap_cap_is_create_from_export_pci_supported(devinfo, &imports));
	printf("  names %u, messages %u, queue %u, clients %u\n", name, msg, queue, clients);
	printf("  lists %u, tasks %s, posts %s, immediate data %s, consumers %s\n", lists, yes(tasks > 0), yes(posts > 0),
	       yes(imm >= 32), yes(consumers > 0));
	printf("  exports %s, imports %s\n", yes(exports), yes(imports));
	return result;
}

static doca_error_t show_representors(struct doca_dev *dev)
{
	char address[DOCA_DEVINFO_REP_PCI_ADDR_SIZE] = {0}, vuid[DOCA_DEVINFO_REP_VUID_SIZE] = {0};
	struct doca_devinfo_rep **list;
	enum doca_pci_func_type type;
	uint32_t number, i;
	doca_error_t result = doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL, &list, &number);

	if (result != DOCA_SUCCESS)
		return result;
	for (i = 0; i < number; i++) {
		field_keep(&result, doca_devinfo_rep_get_pci_addr_str(list[i], address));
		field_keep(&result, doca_devinfo_rep_get_vuid(list[i], vuid, sizeof(vuid)));
		field_keep(&result, doca_devinfo_rep_get_pci_func_type(list[i], &type));
		printf("  representor %s of type %d%s\n", address, (int)type, vuid[0] != '\0' ? "" : " without VUID");
	}
	field_keep(&result, doca_devinfo_rep_destroy_list(list));
	return result;
}

int main(void)
{
	char address[DOCA_DEVINFO_PCI_ADDR_SIZE] = {0}, iface[DOCA_DEVINFO_IFACE_NAME_SIZE], ibdev[DOCA_DEVINFO_IBDEV_NAME_SIZE];
	struct doca_devinfo **list;
	struct doca_dev *dev;
	uint32_t number, i;
	bool serves;
	doca_error_t result = doca_devinfo_create_list(&list, &number);

	if (result != DOCA_SUCCESS)
		return EXIT_FAILURE;
	printf("version %s\n", strcmp(doca_version(), doca_version_runtime()) == 0 ? "equal" : "differs");
	for (i = 0; i < number; i++) {
		serves = doca_comch_cap_server_is_supported(list[i]) == DOCA_SUCCESS;
		field_keep(&result, doca_devinfo_get_pci_addr_str(list[i], address));
		field_keep(&result, doca_devinfo_get_iface_name(list[i], iface, sizeof(iface)));
		field_keep(&result, doca_devinfo_get_ibdev_name(list[i], ibdev, sizeof(ibdev)));
		printf("%s server %s, client %s\n", address, yes(serves),
		       yes(doca_comch_cap_client_is_supported(list[i]) == DOCA_SUCCESS));
		field_keep(&result, show_limits(list[i]));
		if (!serves)
			continue;
		field_keep(&result, doca_dev_open(list[i], &dev));
		if (result != DOCA_SUCCESS)
			break;
		field_keep(&result, show_representors(dev));
		field_keep(&result, doca_dev_close(dev));
	}
	field_keep(&result, doca_devinfo_destroy_list(list));
	printf("%s\n", doca_error_get_name(result));
	return result == DOCA_SUCCESS ? EXIT_SUCCESS : EXIT_FAILURE;
}
