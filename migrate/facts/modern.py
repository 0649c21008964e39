"""The members that an object of comch_next has and the old one of its kind had not."""

MODERN_MEMBERS = {
    kind: frozenset(names.split())
    for kind, names in {
        "endpoint": """
            arm_recv arm_send arm_service close configure connection connections device device_rep engine
            event_connection_status_changed_register event_consumer_register event_msg_recv_register fileno flush_tasks
            max_msg_size messages name num_inflight_tasks one_sided pending port receive recv_fd recv_queue_size send_fd
            send_queue_size send_to service_fd set_state_changed_cb start state stop task_send_alloc_init
            task_send_set_conf try_receive try_send_to try_start try_stop update_info
        """,
        "blocking endpoint": "close connect disconnect listen receive recv_fd send_to try_receive",
        "peer": "client flush get_counter in_flight send server user_data",
        "device": "devinfo",
        "representor": "devinfo_rep",
        "devinfo": """
            cap_client_is_supported cap_get_max_clients cap_get_max_msg_size cap_get_max_name_len
            cap_get_max_recv_queue_size cap_get_max_send_tasks cap_server_is_supported consumer_cap_get_max_buf_list_len
            consumer_cap_get_max_buf_size consumer_cap_get_max_consumers consumer_cap_get_max_imm_data_len
            consumer_cap_get_max_num_tasks consumer_cap_is_supported ibdev_name iface_name max_clients_of_service
            mmap_cap_is_create_from_export_pci_supported mmap_cap_is_export_pci_supported pci_addr pci_addr_str
            producer_cap_get_max_buf_list_len producer_cap_get_max_buf_size producer_cap_get_max_num_tasks
            producer_cap_get_max_producers producer_cap_is_supported require
        """,
        "repinfo": "iface_name is_hotplug pci_addr pci_addr_str pci_func_type vhca_id vuid",
        "backend": "set_level_lower_limit set_level_upper_limit set_sdk_level",
        "server": """
            arm_recv arm_send arm_service close configure connections device device_rep disconnect engine
            event_connection_status_changed_register fileno flush_tasks listen max_msg_size messages name
            num_inflight_tasks one_sided pending port receive recv_fd recv_queue_size send_fd send_queue_size send_to
            service_fd set_state_changed_cb start state stop try_receive try_send_to try_start try_stop update_info
        """,
        "client": """
            arm_recv arm_send close configure connect connection device disconnect engine fileno flush_tasks
            max_msg_size name num_inflight_tasks one_sided port receive recv_fd recv_queue_size send_fd send_queue_size
            send_to set_state_changed_cb start state stop try_receive try_send_to try_start try_stop
        """,
        "connection": "client flush in_flight send server user_data",
        "producer": """
            close dpa_completion_attach engine flush_tasks get_dpa_handle id num_inflight_tasks set_datapath_on_dpa
            set_dev_max_num_send set_state_changed_cb start state stop try_start try_stop
        """,
        "consumer": """
            close engine flush_tasks get_dpa_handle id imm_data_len mmap num_inflight_tasks set_completion
            set_datapath_on_dpa set_dev_max_num_recv set_state_changed_cb start state stop try_start try_stop
        """,
        "ctx": "close destroy engine num_inflight_tasks state try_start try_stop",
        "send_task": "free status submit submit_ex try_submit",
        "producer_task": "buf consumer_id context free imm_data producer status submit submit_ex try_submit user_data",
        "post_task": "buf consumer context free imm_data producer_id status submit submit_ex try_submit user_data",
        "task": "status",
        "engine": "fileno max_events notification_handle num_inflight_tasks wait",
        "mmap": """
            addr dev_get_dpa_handle enable_thread_safety export_rdma exported from_export max_num_devices memrange
            num_bufs user_data view
        """,
        "inventory": """
            buf_reuse_by_addr buf_reuse_by_args buf_reuse_by_data expand num_elements num_free_elements user_data
        """,
        "buf": "chain_list_tail data data_len head inventory last_in_list list_len next_in_list refcount view",
    }.items()
}
