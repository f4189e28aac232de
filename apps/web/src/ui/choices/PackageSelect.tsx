import { useQuery } from '@tanstack/react-query'
import { listSoftwareVersions, type PackageRow } from '@voltkeep/contract/firmware'
import { useState } from 'react'
import { texts } from '../../lib/texts/index.ts'
import { reading } from '../../lib/wire/reading.ts'
import { SearchSelect } from '../typed/SearchSelect.tsx'
import styles from './PackageSelect.module.css'
import { unread } from './Unread.tsx'

const words = texts.packages
/** Newest first: the wanted one is usually among them. */
const mostPackages = 500

/** Software files to choose from, of one equipment type or of all. */
export function usePackages(equipTypeId?: string) {
  const packages = useQuery(reading(listSoftwareVersions, { equipTypeId, pageSize: mostPackages }))
  return { ...packages, rows: packages.data?.rows ?? noRows }
}
const noRows: readonly PackageRow[] = []

/** Software files, one for each part, all of one equipment type. A control of a form: its value are their ids. */
export function PackageSelect({
  id,
  value = [],
  onChange,
  packages,
}: {
  id?: string
  value?: readonly string[] | undefined
  onChange?: (ids: string[]) => void
  packages: ReturnType<typeof usePackages>
}) {
  const [isOpen, setOpen] = useState(false)
  const chosen = packages.rows.filter((row) => value.includes(row.id))
  const [first] = chosen
  /** A device has one type, and a part of it one version. */
  const fits = (row: PackageRow) =>
    value.includes(row.id) ||
    !first ||
    (row.equipTypeId === first.equipTypeId && !chosen.some(({ partType }) => partType === row.partType))
  const stopped = chosen.filter(({ gateFailedTime }) => gateFailedTime !== null)
  return (
    <>
      <SearchSelect
        {...(id !== undefined && { id })}
        mode="multiple"
        // Most users choose one: the list closes, so that it does not cover the fields below.
        open={isOpen}
        onOpenChange={setOpen}
        onSelect={() => setOpen(false)}
        placeholder={words.choose}
        loading={packages.isPending}
        notFoundContent={packages.data ? words.none : unread(packages)}
        value={[...value]}
        onChange={(ids: string[]) => onChange?.(ids)}
        options={packages.rows.filter(fits).map((row) => ({ value: row.id, label: labelOf(row) }))}
      />
      {stopped.map(({ id: packageId, partTypeName, version, gateFailedTime }) => (
        <p key={packageId} className={styles.gateFailed} role="status">
          {words.gateFailedChosen(`${partTypeName} ${version}`, gateFailedTime ?? '')}
        </p>
      ))}
    </>
  )
}

/** `仓控 2.1 · 换电柜 · MB100 · 测试版`: a release that the alarm gate has not stopped needs no word. */
function labelOf({
  partTypeName,
  version,
  equipTypeName,
  pcbCode,
  isRelease,
  hwVersion,
  gateFailedTime,
}: PackageRow): string {
  return [
    `${partTypeName} ${version}`,
    equipTypeName,
    pcbCode,
    ...(hwVersion === null ? [] : [`${words.hwVersion} ${hwVersion}`]),
    ...(isRelease ? [] : [words.test]),
    ...(gateFailedTime === null ? [] : [words.gateFailed]),
  ].join(' · ')
}
