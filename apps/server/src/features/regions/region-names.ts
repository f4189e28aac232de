/** Levels that only collect what has no city above it: no part of a place's name. */
const collecting = /^(县|(省|自治区)直辖县级行政区划)$/

interface Named {
  name: string
  fullName: string
}

/** A region's names from the top: 中国 / 广东省 / 深圳市. Repetitions and mere collecting names are left out. */
export function fullNameUnder(parent: Named | null, name: string): string {
  if (!parent) return name
  const isSaid = collecting.test(name) || parent.name === name
  return isSaid ? parent.fullName : `${parent.fullName} / ${name}`
}
