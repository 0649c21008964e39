// The devices of this machine, from C++.
#include <doca_comch.h>
#include <doca_dev.h>
#include <doca_error.h>

#include <cstdio>

int main()
{
	doca_devinfo **list = nullptr;
	uint32_t number = 0;

	if (doca_devinfo_create_list(&list, &number) != DOCA_SUCCESS)
		return 1;
	for (uint32_t i = 0; i < number; i++) {
		char address[DOCA_DEVINFO_PCI_ADDR_SIZE];

		if (DOCA_IS_ERROR(doca_devinfo_get_pci_addr_str(list[i], address)))
			return 1;
		std::printf("%s\n", address);
	}
	return doca_devinfo_destroy_list(list) == DOCA_SUCCESS ? 0 : 1;
}
