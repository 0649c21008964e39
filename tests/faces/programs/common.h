/* What the programs share: devices by their address, waiting, the lines that tests compare. */
#ifndef COMMON_H
#define COMMON_H

#include <doca_dev.h>
#include <doca_error.h>

struct arguments {
	char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
	char rep_pci[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
	char text[4080];
};

/* -p, -r and -t; what is not given stays as it was. */
doca_error_t parse(const char *program, int argc, char **argv, struct arguments *arguments);

typedef doca_error_t (*check_device)(const struct doca_devinfo *info);

doca_error_t open_device(const char *pci_addr, check_device check, struct doca_dev **dev);
doca_error_t open_representor(struct doca_dev *dev, const char *pci_addr, struct doca_dev_rep **rep);
void show(const char *what, const void *text, size_t length);
void nap(void);
int ended(doca_error_t result);

#endif
