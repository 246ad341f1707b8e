import type { Messages } from "../merge";

export default {
  "signin.title": "登录",
  "signin.about": "哪台虚拟机占用哪块 GPU？启动它会影响什么？它还能在哪里运行？",
  "signin.name": "名称",
  "signin.password": "密码",
  "signin.go": "登录",
  "signin.with": "使用 {{name}} 登录",
  "signin.setup": "首次启动？请打开服务器输出的一次性设置链接。",
  "signin.demo": "这是使用模拟集群的演示。可直接登录为：",
  "setup.title": "首次设置",
  "setup.about": "创建此服务器的第一个管理员。该链接只能使用一次。",
  "setup.go": "创建管理员并登录",
  "setup.no_token": "地址中没有设置令牌。请完整打开服务器输出的链接，包括 # 之后的部分。",
} satisfies Messages;
