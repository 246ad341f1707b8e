import type { Messages } from "../merge";

export default {
  "list.vm": "VM",
  "list.export": "导出",
  "list.csv": "表格 (CSV)",
  "list.json": "全部数据 (JSON)",
  "list.never": "从未",
  "list.actions": "操作",
  "list.change": "修改",
  "list.change_of": "修改 {{name}}",
  "list.remove": "移除",
  "list.remove_of": "移除 {{name}}",
  "list.save": "保存",
  "list.all": "显示全部",
  "list.all_nodes": "所有节点",
  "list.nothing_found": "没有包含“{{text}}”的条目。",
  "list.copy_all": "全部复制",
} satisfies Messages;
