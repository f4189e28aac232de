import { Cascader } from 'antd'
import { Columns } from './Columns.tsx'
import { regionPath } from './choices.trees.ts'
import { useRegions } from './choices.ts'
import { Owned } from './Owned.tsx'
import { unread } from './Unread.tsx'

export interface RegionsCascaderProps {
  id?: string
  value?: readonly string[] | undefined
  onChange?: (codes: string[]) => void
  placeholder?: string
  /** More than these are not taken; `onTooMany` says so. */
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
  return (
    <Cascader
      id={id}
      style={{ width: '100%' }}
      options={options}
      fieldNames={{ label: 'label', value: 'value', children: 'childrens' }}
      multiple
      showCheckedStrategy={Cascader.SHOW_PARENT}
      // Until the tree is there, codes would be shown as numbers.
      value={regions.data ? value.map((code) => pathOf(options, code)) : []}
      showSearch
      allowClear
      loading={regions.isPending}
      placeholder={placeholder}
      notFoundContent={unread(regions)}
      popupRender={(columns) => (
        <Owned by={id}>
          <Columns>{columns}</Columns>
        </Owned>
      )}
      displayRender={(labels) => labels.slice(-2).join(' / ')}
      onChange={(paths) => {
        const codes = (paths as string[][]).flatMap((path) => path.slice(-1))
        if (codes.length > most) onTooMany()
        else onChange?.(codes)
      }}
    />
  )
}

/** A region that is there no longer stays visible by its code. */
function pathOf(options: Parameters<typeof regionPath>[0], code: string): string[] {
  const path = regionPath(options, code)
  return path.length > 0 ? path : [code]
}
