import { Cascader } from 'antd'
import { Typed } from '../typed/Typed.tsx'
import { useTyped } from '../typed/useTyped.ts'
import { firstRegion, regionPath } from './choices.trees.ts'
import { useRegions } from './choices.ts'
import { useRegionOptions } from './regionOptions.tsx'

export interface RegionsCascaderProps {
  id?: string
  value?: readonly string[] | undefined
  onChange?: (codes: string[]) => void
  placeholder?: string
  /** More than these are not accepted; `onTooMany` shows why. */
  most: number
  onTooMany: () => void
}

/** A few regions of any level, by their codes. A chosen region includes all below it. */
export default function RegionsCascader({
  id,
  value = [],
  onChange,
  placeholder,
  most,
  onTooMany,
}: RegionsCascaderProps) {
  const regions = useRegions()
  const options = regions.data ?? []
  const give = (codes: string[]) => {
    typed.onChosen()
    if (codes.length > most) onTooMany()
    else onChange?.(codes)
  }
  const typed = useTyped({
    isReading: regions.isPending,
    chooseFirst(text) {
      const code = firstRegion(options, text)
      if (code === undefined) return false
      // A region within a chosen one is chosen already; one that includes others replaces them.
      const isWithin = (inner: string, outer: string) => regionPath(options, inner).includes(outer)
      if (value.some((chosen) => isWithin(code, chosen))) give([...value])
      else give([...value.filter((chosen) => !isWithin(chosen, code)), code])
      return true
    },
  })
  const { noteId, cascader } = useRegionOptions({ id, regions, typed })
  return (
    <Typed of={typed} noteId={noteId}>
      <Cascader
        {...cascader}
        multiple
        showCheckedStrategy={Cascader.SHOW_PARENT}
        // Until the tree is there, codes would be shown as numbers.
        value={regions.data ? value.map((code) => pathOf(options, code)) : []}
        placeholder={placeholder}
        onChange={(paths) => give((paths as string[][]).flatMap((path) => path.slice(-1)))}
      />
    </Typed>
  )
}

/** A region that no longer exists stays visible by its code. */
function pathOf(options: Parameters<typeof regionPath>[0], code: string): string[] {
  const path = regionPath(options, code)
  return path.length > 0 ? path : [code]
}
