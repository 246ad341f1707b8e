import type { Messages } from "../merge";

export default {
  "list.vm": "ВМ",
  "list.export": "Экспорт",
  "list.csv": "Таблица (CSV)",
  "list.json": "Все данные (JSON)",
  "list.never": "никогда",
  "list.actions": "Действия",
  "list.change": "Изменить",
  "list.change_of": "Изменить {{name}}",
  "list.remove": "Удалить",
  "list.remove_of": "Удалить {{name}}",
  "list.save": "Сохранить",
  "list.all": "Показать все",
  "list.all_nodes": "Все узлы",
  "list.nothing_found": "Ничего не содержит «{{text}}».",
  "list.copy_all": "Копировать всё",
} satisfies Messages;
