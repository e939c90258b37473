/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _NNACCEL_PCI_H_
#define _NNACCEL_PCI_H_

int nnaccel_pci_register(void);
void nnaccel_pci_unregister(void);

#endif
