/** Splits a figure of a status report: the key `输入电压（V）` is a name and the unit of the value. */
export function figureOf({ key, value }: { key: string; value: string }): {
  name: string
  value: string
  unit: string
} {
  const [, name, unit] = /^(.+?)\s*[（(]([^（()）]{1,8})[)）]$/.exec(key) ?? []
  return name && unit ? { name, value, unit } : { name: key, value, unit: '' }
}

/**
 * The map link for an address. 高德地图 searches by text and opens its app on a phone that has it, on iOS and Android;
 * `geo:` links do nothing on iOS.
 */
export function mapAddress(regionName: string, address: string): string {
  const [, ...below] = regionName.split(' / ')
  const keyword = `${below.join('')}${address}`
  return `https://uri.amap.com/search?${new URLSearchParams({ keyword, callnative: '1', src: 'voltkeep' })}`
}
