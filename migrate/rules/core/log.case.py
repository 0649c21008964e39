# case: a log of the program's own
import logging

log = logging.getLogger("doca_log")
log.setLevel(50)


# case: flat: levels, backends and sources
import sys

from doca_comm_channel import *

doca_log_create_standard_backend()
if doca_log_backend_create_standard() != DOCA_SUCCESS:
    sys.exit("no log")
rc, backend = doca_log_backend_create_with_file(sys.stderr)
rc = doca_log_backend_set_level_lower_limit(backend, DOCA_LOG_LEVEL_INFO)
doca_log_backend_set_sdk_level(backend, DOCA_LOG_LEVEL_WARNING)
rc = doca_log_global_level_set(DOCA_LOG_LEVEL_DEBUG)
print(doca_log_level_get_global_lower_limit(), rc)
rc, source = doca_log_source_register("APP")
rc = doca_log_source_destroy(source)

# output
import sys

import comch_next as comch

if comch.ErrorCode.SUCCESS != comch.ErrorCode.SUCCESS:
    sys.exit("no log")
rc, backend = comch.outcome(comch.log.Backend, sys.stderr)
rc = comch.outcome(comch.log.Backend.set_level_lower_limit, backend, 50)[0]
comch.outcome(comch.log.Backend.set_sdk_level, backend, 40)
rc = comch.outcome(comch.log.standard.set_level_lower_limit, 60)[0]
print(comch.log.standard.lower_limit, rc)
rc, source = comch.outcome(comch.log.register_source, "APP")
rc = comch.outcome(comch.log.unregister_source, source)[0]
