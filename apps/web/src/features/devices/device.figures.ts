/** A figure of a status report: `输入电压（V）` is the name and the unit of its value. */
export function figureOf({ key, value }: { key: string; value: string }): {
  name: string
  value: string
  unit: string
} {
  const [, name, unit] = /^(.+?)\s*[（(]([^（()）]{1,8})[)）]$/.exec(key) ?? []
  return name && unit ? { name, value, unit } : { name: key, value, unit: '' }
}

/**
 * The address in a map: the page of 高德地图 finds it by its words, and on a phone hands over to the app where there is
 * one. iOS and Android alike; `geo:` links open nothing on iOS.
 */
export function mapAddress(regionName: string, address: string): string {
  const [, ...below] = regionName.split(' / ')
  const keyword = `${below.join('')}${address}`
  return `https://uri.amap.com/search?${new URLSearchParams({ keyword, callnative: '1', src: 'voltkeep' })}`
}
