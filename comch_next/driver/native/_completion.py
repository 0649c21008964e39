"""Where a consumer on the DPA, the card's data path accelerator, finds its completions (guide: Comch, MsgQ)."""

from functools import partial

from comch_next.driver.native._calls import Noun, call, destroy_call, stop_and_destroy
from comch_next.driver.native._handle import Handle, Life
from comch_next.driver.native._library import check, ffi
from comch_next.driver.protocol import uninterrupted

__all__ = ["ConsumerCompletion", "ConsumerCompletions"]


class ConsumerCompletion(Handle, tag="doca_comch_consumer_completion"):
    """A handle."""


class ConsumerCompletions(Noun):
    """The noun ConsumerCompletions of the driver protocol."""

    @uninterrupted
    def create(self) -> ConsumerCompletion:
        name, cell = "doca_comch_consumer_completion_create", ffi.new("struct doca_comch_consumer_completion **")
        check(self.library[name](cell), name)
        made = ConsumerCompletion()
        release = partial(stop_and_destroy, self.library, "doca_comch_consumer_completion", cell[0])
        made.live_as(cell[0], Life(release))
        return made

    destroy = destroy_call("doca_comch_consumer_completion_destroy")
    set_dpa_thread = call("doca_comch_consumer_completion_set_dpa_thread")
    start = call("doca_comch_consumer_completion_start")
    stop = call("doca_comch_consumer_completion_stop")
    get_dpa_handle = call("doca_comch_consumer_completion_get_dpa_handle")
    set_max_num_consumers = call("doca_comch_consumer_completion_set_max_num_consumers")
    get_max_num_consumers = call("doca_comch_consumer_completion_get_max_num_consumers")
    set_max_num_recv = call("doca_comch_consumer_completion_set_max_num_recv")
    get_max_num_recv = call("doca_comch_consumer_completion_get_max_num_recv")
    set_imm_data_len = call("doca_comch_consumer_completion_set_imm_data_len")
    get_imm_data_len = call("doca_comch_consumer_completion_get_imm_data_len")
