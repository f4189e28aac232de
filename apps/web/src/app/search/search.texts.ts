export const searchTexts = {
  title: '搜索',
  open: '搜索设备、用户、页面',
  placeholder: '设备编号、名称、地址，用户，页面或功能',
  kinds: { recent: '最近打开', device: '设备', user: '用户', page: '页面', function: '功能' },
  nothing: (keyword: string) => `没有找到“${keyword}”`,
  nothingHint: '可输入编号的任意一段，多个编号以空格或逗号分隔。',
  count: (count: number) => `${count} 个结果`,
  failed: '设备和用户未能搜索',
  keys: { move: '选择', go: '打开', close: '关闭' },
  clear: '清除记录',
}
