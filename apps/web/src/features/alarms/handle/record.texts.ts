/** Apart from the other texts of alarms: it comes with the detail alone. */
export const recordTexts = {
  print: '可打印的处置记录',
  carried: '再次发生，沿用此前的处理',
}
