/** 中国 / 广东省 / 深圳市 / 南山区 as 深圳市 南山区: in a row the country and province go without saying. */
export function shortRegion(regionName: string): string {
  const names = regionName.split(' / ')
  return names.length > 2 ? names.slice(-2).join(' ') : names.slice(-1).join('')
}
