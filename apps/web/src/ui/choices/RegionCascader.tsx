import { Cascader } from 'antd'
import { Columns } from './Columns.tsx'
import { regionPath } from './choices.trees.ts'
import { useRegions } from './choices.ts'
import { Owned } from './Owned.tsx'
import { unread } from './Unread.tsx'

export interface RegionCascaderProps {
  id?: string
  describedBy?: string | undefined
  value?: string | undefined
  onChange?: (code: string | undefined) => void
  hasProblem?: boolean
  placeholder?: string
  isDisabled?: boolean
  /** Told what is typed to search by. */
  onSearch?: (typed: string) => void
  /** Absent: the control opens and closes by itself. */
  isOpen?: boolean
  onOpen?: (isOpen: boolean) => void
}

/** A region of any level, by its code. Lazy: thousands of names and a control of their own. */
export default function RegionCascader({
  id,
  describedBy,
  value,
  onChange,
  hasProblem = false,
  placeholder,
  isDisabled = false,
  onSearch,
  isOpen,
  onOpen,
}: RegionCascaderProps) {
  const regions = useRegions()
  return (
    <Cascader
      id={id}
      aria-describedby={describedBy}
      status={hasProblem ? 'error' : ''}
      style={{ width: '100%' }}
      options={regions.data ?? []}
      fieldNames={{ label: 'label', value: 'value', children: 'childrens' }}
      value={regionPath(regions.data ?? [], value)}
      disabled={isDisabled}
      changeOnSelect
      {...(isOpen !== undefined && { open: isOpen })}
      onOpenChange={onOpen}
      showSearch={{ onSearch }}
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
      onChange={(path) => onChange?.((path as string[] | undefined)?.at(-1))}
    />
  )
}
