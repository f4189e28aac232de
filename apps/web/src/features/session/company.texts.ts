export const companyTexts = {
  or: '或',
  by: (name: string) => `使用${name}登录`,
  going: '正在前往…',
  finishing: '正在登录…',
}
