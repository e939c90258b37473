// SPDX-License-Identifier: GPL-2.0-only
/* The module: what all devices share, then the backends. */

#include <linux/module.h>
#include <linux/rcupdate.h>

#include "nnaccel_gem.h"
#include "nnaccel_pci.h"
#include "nnaccel_platform.h"
#include "nnaccel_shared.h"

static int __init nnaccel_init(void)
{
	int ret;

	ret = nnaccel_shared_init();
	if (ret)
		return ret;
	ret = nnaccel_gem_init();
	if (ret)
		goto err_shared;
	ret = nnaccel_pci_register();
	if (ret)
		goto err_gem;
	ret = nnaccel_platform_register();
	if (ret)
		goto err_pci;
	return 0;

err_pci:
	nnaccel_pci_unregister();
err_gem:
	nnaccel_gem_fini();
err_shared:
	nnaccel_shared_fini();
	return ret;
}

static void __exit nnaccel_exit(void)
{
	nnaccel_platform_unregister();
	nnaccel_pci_unregister();
	nnaccel_gem_fini();
	nnaccel_shared_fini();
	/* Fences are freed through RCU, by code of this module. */
	rcu_barrier();
}

module_init(nnaccel_init);
module_exit(nnaccel_exit);

MODULE_DESCRIPTION("nnaccel neural network accelerator");
MODULE_AUTHOR("The nnaccel authors");
MODULE_LICENSE("GPL");
#ifdef NNACCEL_VERSION
MODULE_VERSION(NNACCEL_VERSION);
#endif
/* MODULE_IMPORT_NS("DMA_BUF"), whose argument is a token in older kernels. */
MODULE_INFO(import_ns, "DMA_BUF");
