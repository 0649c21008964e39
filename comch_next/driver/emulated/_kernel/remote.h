/* Memory of another process, copied while that runs: what a device does with host memory. */
#ifndef COMCH_REMOTE_H
#define COMCH_REMOTE_H

#include <stdint.h>

/* Copy between an address here and one there. 0, or the error of Linux; then a part may have been copied. */
int comch_copy_remote(int pid, uint64_t here, uint64_t there, uint64_t length, int writing);

#endif
