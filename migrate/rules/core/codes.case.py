# case: messages and comments
# doca_comm_channel_ep_create() was here, DOCA_ERROR_AGAIN too
"""Uses doca_comm_channel_ep_sendto."""
print("doca_comm_channel_ep_create failed")
print(error.name == "DOCA_ERROR_AGAIN")

# output
# doca_comm_channel_ep_create() was here, DOCA_ERROR_AGAIN too
"""Uses doca_comm_channel_ep_sendto."""
print("doca_comm_channel_ep_create failed")
# CCM005: an old name is looked up at run time (python -m migrate explain CCM005)
print(error.name == "DOCA_ERROR_AGAIN")
