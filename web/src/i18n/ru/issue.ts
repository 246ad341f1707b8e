import type { Messages } from "../merge";

export default {
  "issue.candidate": "Сопоставление {{mapping}} может отдать это устройство ВМ {{vmid}}.",
  "issue.vm_scope_unproven": "Не доказано, что видны все ВМ; невидимые могут указывать устройства.",
  "issue.vm_hidden": "Гость {{vmid}} может быть не виден; его конфигурация не проверена.",
  "issue.vm_hidden.any": "Возможно, видны не все гости; их конфигурации не проверены.",
  "issue.vm_unreadable": "Конфигурацию ВМ {{vmid}} не удалось прочитать.",
  "issue.vm_limit_exceeded": "На узле {{node}} ВМ больше, чем читается за раз; прочитаны не все.",
  "issue.time_budget_exceeded": "Часть запросов к узлу {{node}} не получила ответа вовремя.",
  "issue.vm_custom_args": "У ВМ {{vmid}} свои аргументы; что в них указано, не проверяется.",
  "issue.vm_hookscript": "У ВМ {{vmid}} скрипт-обработчик; что он делает с устройствами, не проверяется.",
  "issue.hostpci_invalid": "ВМ {{vmid}}: строка {{slot}} непригодна.",
  "issue.mapping_not_found": "ВМ {{vmid}} указывает сопоставление {{mapping}}, которого нет.",
  "issue.mapping_invisible": "ВМ {{vmid}} указывает сопоставление {{mapping}}, которого здесь не видно.",
  "issue.mapping_no_entry_for_node": "У сопоставления {{mapping}} нет записи для узла {{node}}; ВМ {{vmid}} не получит там устройство.",
  "issue.mapping_ambiguous": "У сопоставления {{mapping}} несколько записей на узле {{node}}; какую получит ВМ {{vmid}}, решится при запуске.",
  "issue.devices_unreadable": "Устройства PCI узла {{node}} не удалось прочитать.",
  "issue.node_unreachable": "Узел {{node}} не отвечает.",
  "issue.container_unreadable": "Конфигурацию контейнера {{vmid}} на узле {{node}} не удалось прочитать.",
  "issue.mdev_types_unreadable": "Типы mdev узла {{node}} прочитаны не полностью.",
  "issue.policy_unreadable": "Политики (HA, резервное копирование) не удалось прочитать.",
  "issue.pve_too_old": "Эта версия Proxmox VE слишком старая и сообщает не всё.",
} satisfies Messages;
