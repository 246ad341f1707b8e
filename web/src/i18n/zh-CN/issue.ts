import type { Messages } from "../merge";

export default {
  "issue.candidate": "资源映射 {{mapping}} 可能把此设备分给 VM {{vmid}}。",
  "issue.vm_scope_unproven": "未证实所有虚拟机均可见；可能有未看到的虚拟机引用了设备。",
  "issue.vm_hidden": "虚拟机或容器 {{vmid}} 可能不可见；它的配置未检查。",
  "issue.vm_hidden.any": "可能有虚拟机不可见；其配置未检查。",
  "issue.vm_unreadable": "VM {{vmid}} 的配置未能读取。",
  "issue.vm_limit_exceeded": "节点 {{node}} 的虚拟机超出单次读取上限，部分未读取。",
  "issue.time_budget_exceeded": "节点 {{node}} 的部分读取在限定时间内没有应答。",
  "issue.vm_custom_args": "VM {{vmid}} 有自定义参数；不检查其中引用了什么。",
  "issue.vm_hookscript": "VM {{vmid}} 有钩子脚本；不检查它对设备做什么。",
  "issue.hostpci_invalid": "VM {{vmid}} 的 {{slot}} 不可用。",
  "issue.mapping_not_found": "VM {{vmid}} 引用的资源映射 {{mapping}} 不存在。",
  "issue.mapping_invisible": "VM {{vmid}} 引用的资源映射 {{mapping}} 在此不可见。",
  "issue.mapping_no_entry_for_node": "资源映射 {{mapping}} 没有节点 {{node}} 的条目；VM {{vmid}} 在该节点得不到设备。",
  "issue.mapping_ambiguous": "资源映射 {{mapping}} 在节点 {{node}} 上有多个条目；VM {{vmid}} 得到哪一个在启动时决定。",
  "issue.devices_unreadable": "节点 {{node}} 的 PCI 设备未能读取。",
  "issue.node_unreachable": "节点 {{node}} 没有应答。",
  "issue.container_unreadable": "节点 {{node}} 上容器 {{vmid}} 的配置未能读取。",
  "issue.mdev_types_unreadable": "节点 {{node}} 的中介设备类型未能全部读取。",
  "issue.policy_unreadable": "HA、备份等策略未能读取。",
  "issue.pve_too_old": "此 Proxmox VE 版本过旧，无法告知全部内容。",
} satisfies Messages;
