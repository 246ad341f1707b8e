import type { Messages } from "../merge";

export default {
  "list.vm": "VM",
  "list.export": "Export",
  "list.csv": "Table (CSV)",
  "list.json": "All values (JSON)",
  "list.never": "never",
  "list.actions": "Actions",
  "list.change": "Change",
  "list.change_of": "Change {{name}}",
  "list.remove": "Remove",
  "list.remove_of": "Remove {{name}}",
  "list.save": "Save",
  "list.all": "Show all",
  "list.all_nodes": "All nodes",
  "list.nothing_found": "Nothing contains “{{text}}”.",
  "list.copy_all": "Copy all",
} satisfies Messages;
