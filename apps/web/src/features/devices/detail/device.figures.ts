import type { ReadingRow } from '@voltkeep/contract/readings'

/**
 * The name and the unit of a reading. One that the catalogue does not know may have its unit in its name: `输入电压（V）`
 * is a name and the unit of the value.
 */
export function figureOf({ name, unit }: Pick<ReadingRow, 'name' | 'unit'>): { name: string; unit: string } {
  if (unit !== null) return { name, unit }
  const found = /[（(]([^（()）]{1,8})[)）]$/.exec(name)
  const bare = name.slice(0, found?.index).trimEnd()
  return found?.[1] && bare ? { name: bare, unit: found[1] } : { name, unit: '' }
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
