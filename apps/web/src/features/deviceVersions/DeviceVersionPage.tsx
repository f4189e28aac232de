// The list of devices with their software versions; a dialog shows one device's versions by part.
import {
  exportUnmatchedVersions,
  listDeviceVersions,
  type VersionedDevice,
} from '@voltkeep/contract/deviceVersions'
import { upgradeDevices } from '@voltkeep/contract/upgrades'
import { useState } from 'react'
import { connectionOf } from '../../lib/browser/connection.ts'
import { usePage } from '../../lib/pages.ts'
import { useCurrentUser } from '../../lib/session.ts'
import { texts } from '../../lib/texts/index.ts'
import { RowActions, RowButton } from '../../ui/buttons/RowActions.tsx'
import { CopyText } from '../../ui/CopyText.tsx'
import { DeviceFilters } from '../../ui/choices/DeviceFilters.tsx'
import { PartTypeFilter } from '../../ui/choices/filters.tsx'
import { DeviceCode } from '../../ui/DeviceCode.tsx'
import { stepsFrom } from '../../ui/detail/steps.tsx'
import { useOpenRow } from '../../ui/detail/useOpenRow.ts'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import { CodesFilter } from '../../ui/list/CodesFilter.tsx'
import type { Column } from '../../ui/list/DataTable.tsx'
import { ExportButton } from '../../ui/list/ExportButton.tsx'
import { TextFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { operationColumn, textColumn } from '../../ui/list/plainColumns.tsx'
import { useList } from '../../ui/list/useList.ts'
import { useSelection } from '../../ui/list/useSelection.ts'
import { OnlineTag } from '../../ui/marks/OnlineTag.tsx'
import { PageLink } from '../../ui/PageLink.tsx'
import { RelativeTime } from '../../ui/time/RelativeTime.tsx'
import styles from './deviceVersions.module.css'
import { deviceVersionTexts } from './deviceVersions.texts.ts'
import { VersionSummary } from './VersionSummary.tsx'

const UpgradeDevicesDialog = lazyDialog(() => import('./UpgradeDevicesDialog.tsx'))
const DeviceVersionsDialog = lazyDialog(() => import('./DeviceVersionsDialog.tsx'))

const { fields } = deviceVersionTexts

interface Upgrade {
  devices: readonly VersionedDevice[]
  softwareVersionId?: string
}

export default function DeviceVersionPage() {
  const { title } = usePage()
  const list = useList(listDeviceVersions)
  const row = useOpenRow()
  // The address alone decides whether the dialog is open. The last id is kept for the closing animation.
  const [shownId, setShownId] = useState(row.id)
  if (row.id !== undefined && row.id !== shownId) setShownId(row.id)
  const selection = useSelection<VersionedDevice>(list)
  const [upgrade, setUpgrade] = useState<Upgrade>()
  // The function belongs to the page of upgrade tasks, not to this page.
  const mayUpgrade = useCurrentUser().functionCodes.includes(upgradeDevices.access)

  const columns: Column<VersionedDevice>[] = [
    {
      key: 'code',
      title: texts.fields.code,
      fixed: 'left',
      render: ({ id, code }) => <DeviceCode code={code} id={id} />,
    },
    {
      key: 'isOnline',
      title: texts.fields.state,
      width: 84,
      render: (device) => <OnlineTag isOnline={connectionOf(device)} />,
    },
    textColumn('operatorName', texts.fields.operator, { key: 'operator', maxWidth: 160 }),
    {
      key: 'type',
      title: texts.fields.equipType,
      maxWidth: 120,
      render: ({ equipTypeName, equipModelName }) => (
        <span title={`${equipTypeName} / ${equipModelName}`}>{equipTypeName}</span>
      ),
    },
    {
      key: 'versions',
      title: fields.versions,
      maxWidth: 'max(460px, 32vw)',
      render: ({ equipSoftwareVersions }) => <VersionSummary parts={equipSoftwareVersions} />,
    },
    {
      key: 'updateTime',
      title: fields.updateTime,
      width: 100,
      render: ({ updateTime }) => <RelativeTime time={updateTime} isShort />,
    },
    operationColumn(96, ({ id }) => (
      <RowActions>
        <RowButton onClick={() => row.open(id)}>{deviceVersionTexts.view}</RowButton>
      </RowActions>
    )),
  ]

  return (
    <>
      <ListPage
        title={title}
        measure={deviceVersionTexts.measure}
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        filters={(draft) => (
          <>
            <CodesFilter of={draft} label={texts.fields.code} />
            <PartTypeFilter of={draft} label={fields.partType} />
            <TextFilter
              of={draft}
              name="version"
              label={fields.version}
              placeholder={deviceVersionTexts.versionHint}
            />
            <DeviceFilters of={draft} />
          </>
        )}
        actions={
          <ExportButton
            endpoint={exportUnmatchedVersions}
            filters={list.filters}
            isDisabled={list.total === 0}
            label={deviceVersionTexts.exportUnmatched}
            isQuiet
          />
        }
        card={(device) => ({
          lead: (
            <>
              <CopyText text={device.code} />
              <span className={styles.whose}>{`${device.equipTypeName} · ${device.operatorName}`}</span>
            </>
          ),
          aside: <OnlineTag isOnline={connectionOf(device)} />,
          second: <VersionSummary parts={device.equipSoftwareVersions} />,
        })}
        onOpen={({ id }) => row.open(id)}
        openKey={row.id}
        selection={
          mayUpgrade
            ? {
                ...selection,
                nameOf: ({ code }) => code,
                actions: (
                  <button
                    type="button"
                    className="button"
                    onClick={() => setUpgrade({ devices: selection.rows })}
                  >
                    {deviceVersionTexts.upgrade.chosen}
                  </button>
                ),
              }
            : undefined
        }
        empty={{
          title: deviceVersionTexts.empty,
          hint: (
            <>
              <PageLink page="equipment/list">{deviceVersionTexts.emptyHint.device}</PageLink>
              {deviceVersionTexts.emptyHint.after}
            </>
          ),
        }}
        emptyFiltered={deviceVersionTexts.emptyFiltered}
      />
      {shownId && (
        <DeviceVersionsDialog
          id={shownId}
          isOpen={row.id !== undefined}
          steps={stepsFrom(list.rows, shownId, ({ id }) => row.open(id), deviceVersionTexts.measure)}
          onUpgrade={
            mayUpgrade
              ? (device, softwareVersionId) => setUpgrade({ devices: [device], softwareVersionId })
              : undefined
          }
          onClose={row.close}
        />
      )}
      {upgrade && <UpgradeDevicesDialog {...upgrade} onClose={() => setUpgrade(undefined)} />}
    </>
  )
}
