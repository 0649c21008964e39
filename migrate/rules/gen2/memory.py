"""Map memory and take buffers of it; a flat call that gave a length beside its bytes still does."""

from __future__ import annotations

from dataclasses import dataclass

from migrate.rules._answers import Rule
from migrate.rules._ended import Ended
from migrate.rules._form import Deferred, late
from migrate.rules._forms import Attribute, Function, Method, Property, Value
from migrate.rules._lengths import is_whole
from migrate.rules._site import Site


@dataclass(frozen=True)
class _Exported(Method):
    """What is exported; flat with its length."""

    def deferred(self, site: Site) -> Deferred:
        return late(site, f"(lambda desc: (desc, len(desc)))({self.plain(site)})")

    def of_class(self, site: Site) -> None:
        return None


@dataclass(frozen=True)
class _Imported(Function):
    """What another side has exported, of which C had the length, too."""

    def plain(self, site: Site) -> str:
        return f"{{comch}}.{self.name}({self._given(site)})"

    def deferred(self, site: Site) -> Deferred:
        return late(site, self.plain(site))

    def _given(self, site: Site) -> str:
        desc, length = (site.call.arguments.get(name) for name in ("export_desc", "export_desc_len"))
        whole = desc is None or length is None or is_whole(desc, length, site.facts)
        made = {} if whole else {"export_desc": "{comch}.arguments.cut({export_desc}, {export_desc_len})"}
        return site.arguments({name: new for name, new in self.inputs.items() if new}, made=made)


_IMPORT = {"export_desc": "export_desc", "dev": "device", "user_data": "user_data", "export_desc_len": ""}
_DATA = {"data": "data", "data_len": "data_len"}
_RANGE = {"mmap": "mmap", "addr": "addr", "len": "length"}
_MMAP, _INVENTORY, _BUF = "doca_mmap_", "doca_buf_inventory_", "doca_buf_"
_LISTS = ("next_in_list", "last_in_list", "list_len")

RULES: dict[str, Rule] = {
    _MMAP + "create": Function("Mmap"),
    _MMAP + "create_from_export": _Imported("Mmap.create_from_export", _IMPORT),
    **{f"{_MMAP}{name}": Method(name) for name in ("start", "stop")},
    _MMAP + "destroy": Ended("destroy"),
    _MMAP + "add_dev": Method("add_dev", {"dev": "device"}),
    _MMAP + "rm_dev": Method("rm_dev", {"dev": "device"}),
    _MMAP + "set_permissions": Method("set_permissions", {"access_mask": "permissions"}),
    _MMAP + "set_memrange": Method("set_memrange", {"addr": "memory", "len": "length"}),
    _MMAP + "get_memrange": Property("memrange"),
    _MMAP + "set_free_cb": Method("set_free_cb", {"free_cb": "callback", "opaque": "opaque"}),
    _MMAP + "set_max_num_devices": Attribute("max_num_devices", "max_num_devices"),
    _MMAP + "get_max_num_devices": Property("max_num_devices"),
    _MMAP + "set_user_data": Attribute("user_data", "user_data"),
    _MMAP + "get_user_data": Property("user_data"),
    _MMAP + "export_pci": _Exported("export_pci", {"dev": "device"}),
    _MMAP + "get_num_bufs": Property("num_bufs"),
    _MMAP + "get_exported": Property("exported", number=True),
    _MMAP + "get_from_export": Property("from_export", number=True),
    _INVENTORY + "create": Function("BufInventory", {"num_elements": "num_elements"}),
    **{f"{_INVENTORY}{name}": Method(name) for name in ("start", "stop")},
    _INVENTORY + "destroy": Ended("destroy"),
    _INVENTORY + "buf_get_by_addr": Method("buf_get_by_addr", _RANGE),
    _INVENTORY + "buf_get_by_data": Method("buf_get_by_data", {"mmap": "mmap", **_DATA}),
    _INVENTORY + "buf_get_by_args": Method("buf_get_by_args", {**_RANGE, **_DATA}),
    _INVENTORY + "buf_dup": Method("buf_dup", {"src_buf": "buf"}),
    **{f"{_INVENTORY}get_{name}": Property(name) for name in ("num_elements", "num_free_elements", "user_data")},
    _INVENTORY + "set_user_data": Attribute("user_data", "user_data"),
    **{f"{_BUF}get_{name}": Property(name) for name in ("head", "data", "data_len", "refcount", *_LISTS)},
    _BUF + "get_len": Value("len({buf})"),
    _BUF + "set_data": Method("set_data", _DATA),
    **{f"{_BUF}{name}": Method(name) for name in ("reset_data_len", "inc_refcount", "dec_refcount")},
    **{f"{_BUF}{name}": Method(name, {"list2": "other"}) for name in ("chain_list", "unchain_list")},
    **{f"{_BUF}is_{which}in_list": Property(f"is_{which}in_list", number=True) for which in ("first_", "last_", "")},
}
