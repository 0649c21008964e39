# case: a connection of another library
connection = pool.get_connection()
connection.set_user_data(1)


# case: counters, contexts and user data
import doca_cc as cc

client = cc.Client(cc.open_device("b1:00.0"), "svc")
connection = client.get_connection()
connection.set_user_data({"asked": 0})
connection.update_info()
print(connection.get_counter(cc.DOCA_CC_COUNTER_SENT_BYTES), connection.get_user_data()["asked"])
print(connection.get_client_ctx() is client, connection.get_server_ctx())
client.as_ctx().set_user_data(connection)
client.as_ctx().get_user_data().update_info()

# output
import comch_next as comch

client = comch.Client(comch.open_device("b1:00.0"), "svc")
connection = client.connection
connection.user_data = {"asked": 0}
connection.update_info()
print(connection.get_counter(comch.Counter.SENT_BYTES), connection.user_data["asked"])
print(connection.client is client, connection.server)
client.user_data = connection
client.user_data.update_info()


# case: flat
from doca_cc import *

rc, client = doca_cc_client_create(open_device("b1:00.0"), "svc")
rc, connection = doca_cc_client_get_connection(client)
if rc == DOCA_SUCCESS:
    rc = doca_cc_connection_set_user_data(connection, 7)
    rc = doca_cc_connection_update_info(connection)
    rc, sent = doca_cc_connection_get_counter(connection, DOCA_CC_COUNTER_SENT_MESSAGES)
    print(doca_cc_connection_get_user_data(connection), doca_cc_client_get_client_ctx(connection))
    rc, data = doca_ctx_get_user_data(doca_cc_client_as_ctx(client))

# output
import comch_next as comch

rc, client = comch.outcome(comch.Client, comch.open_device("b1:00.0"), "svc")
rc, connection = comch.outcome(comch.Client.connection.fget, client)
if rc == comch.ErrorCode.SUCCESS:
    rc = comch.outcome(setattr, connection, "user_data", 7)[0]
    rc = comch.outcome(connection.update_info)[0]
    rc, sent = comch.outcome(connection.get_counter, comch.Counter.SENT_MESSAGES)
    print(connection.user_data, connection.client)
    rc, data = comch.outcome(lambda: client.user_data) if client is not None else (
        comch.ErrorCode.INVALID_VALUE, None
    )
