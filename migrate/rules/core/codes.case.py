# case: messages and comments
# doca_comm_channel_ep_create() was here, DOCA_ERROR_AGAIN too
"""Uses doca_comm_channel_ep_sendto."""
print("doca_comm_channel_ep_create failed")
print(error.name == "DOCA_ERROR_AGAIN")


# case: macros of the program's own
def DOCA_IS_ERROR(code):
    return code


print(DOCA_IS_ERROR(3))


# case: flat: the macros, in operators and with effects
from doca_comm_channel import *


def step(number):
    return DOCA_ERROR_AGAIN if number else DOCA_SUCCESS


rc = step(0)
if DOCA_IS_ERROR(rc) or not DOCA_IS_ERROR(step(1)):
    print(doca_error_get_name(rc), doca_get_error_string(step(1)))
rc = DOCA_ERROR_PROPAGATE(rc, step(1))
first = rc
rc = DOCA_ERROR_PROPAGATE(first, rc)

# output
import comch_next as comch


def step(number):
    return comch.ErrorCode.AGAIN if number else comch.ErrorCode.SUCCESS


rc = step(0)
if (rc != comch.ErrorCode.SUCCESS) or not (step(1) != comch.ErrorCode.SUCCESS):
    print(comch.code_name(rc), comch.describe(step(1)))
rc = (
    lambda first, then: then if first == comch.ErrorCode.SUCCESS else first
)(rc, step(1))
first = rc
rc = rc if first == comch.ErrorCode.SUCCESS else first
