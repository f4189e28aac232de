// The list of devices in the user's scope, with a detail panel.
import { ImportOutlined, PlusOutlined } from '@ant-design/icons'
import { remoteActionCodes } from '@voltkeep/contract/actions'
import { exportDevices, importDevices } from '@voltkeep/contract/deviceImport'
import {
  type DeviceRow,
  deleteDevice,
  insertDevice,
  listDevices,
  renewDeviceSecret,
  updateDevice,
} from '@voltkeep/contract/devices'
import { Button } from 'antd'
import { useState } from 'react'
import * as z from 'zod/mini'
import { connectionOf } from '../../lib/browser/connection.ts'
import { narrowQuery, useMedia } from '../../lib/browser/media.ts'
import { usePage } from '../../lib/pages.ts'
import { shortRegion } from '../../lib/regions.ts'
import { texts } from '../../lib/texts/index.ts'
import { useUrlState } from '../../lib/urlState.ts'
import { emptyList } from '../../ui/buttons/adding.tsx'
import { CopyText } from '../../ui/CopyText.tsx'
import { DeviceFilters } from '../../ui/choices/DeviceFilters.tsx'
import { chosenIds } from '../../ui/choices/linked.ts'
import { stepsFrom } from '../../ui/detail/steps.tsx'
import { useOpenRow } from '../../ui/detail/useOpenRow.ts'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import { CodesFilter } from '../../ui/list/CodesFilter.tsx'
import { ExportButton } from '../../ui/list/ExportButton.tsx'
import { TextFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { useList } from '../../ui/list/useList.ts'
import { useSelection } from '../../ui/list/useSelection.ts'
import { LevelTag } from '../../ui/marks/LevelTag.tsx'
import { OnlineTag } from '../../ui/marks/OnlineTag.tsx'
import { Permitted, usePermission } from '../../ui/Permitted.tsx'
import { DeviceActions } from './DeviceActions.tsx'
import { DeviceDetail } from './detail/DeviceDetail.tsx'
import { ActiveAlarms, deviceColumns } from './devices.columns.tsx'
import styles from './devices.module.css'
import { deviceTexts } from './devices.texts.ts'
import type { FreshSecret } from './form/devices.secret.ts'
import { PhoneActions } from './PhoneActions.tsx'
import { SelectedDevices } from './SelectedDevices.tsx'
import { ThrottleTag } from './ThrottleTag.tsx'
import { useLiveDevices } from './useLiveDevices.ts'

const DeviceDialog = lazyDialog(() => import('./form/DeviceDialog.tsx'))
const ImportDialog = lazyDialog(() => import('./import/ImportDialog.tsx'))
const SecretDialog = lazyDialog(() => import('./form/SecretDialog.tsx'), { isForced: true })

const DialogSearch = z.object({ dialog: z.optional(z.enum(['add', 'import'])) })
const linked = { ids: chosenIds }

export default function DevicePage() {
  const { title } = usePage()
  const list = useList(listDevices)
  const live = useLiveDevices(list)
  const selection = useSelection<DeviceRow>(list)
  const row = useOpenRow()
  const isNarrow = useMedia(narrowQuery)
  // The dialog is part of the address: the home page of an empty installation links to it.
  const [{ dialog }, setDialog] = useUrlState(DialogSearch)
  const [edited, setEdited] = useState<DeviceRow>()
  const [fresh, setFresh] = useState<FreshSecret>()
  const mayAdd = usePermission(insertDevice.access)
  const mayImport = usePermission(importDevices.access)
  const actions = { onEdit: setEdited, onSecret: setFresh }

  const columns = [
    ...deviceColumns,
    {
      key: 'operation',
      title: texts.list.operation,
      width: 104,
      codes: [
        updateDevice.access,
        renewDeviceSecret.access,
        deleteDevice.access,
        ...Object.values(remoteActionCodes),
      ],
      fixed: 'right' as const,
      render: (device: DeviceRow) => <DeviceActions device={device} {...actions} />,
    },
  ]

  return (
    <>
      <ListPage
        title={title}
        measure={deviceTexts.measure}
        list={{ ...list, rows: live.rows }}
        columns={columns}
        keyOf={({ id }) => id}
        linked={linked}
        filters={(draft) => (
          <>
            <CodesFilter of={draft} label={texts.fields.code} />
            <TextFilter
              of={draft}
              name="keyword"
              label={deviceTexts.keyword}
              placeholder={deviceTexts.keywordHint}
            />
            <DeviceFilters of={draft} />
          </>
        )}
        actions={
          <>
            {isNarrow ? (
              <PhoneActions
                filters={list.filters}
                isEmpty={list.total === 0}
                onImport={() => setDialog({ dialog: 'import' })}
              />
            ) : (
              <>
                <ExportButton endpoint={exportDevices} filters={list.filters} isDisabled={list.total === 0} />
                <Permitted code={importDevices.access}>
                  <Button icon={<ImportOutlined />} onClick={() => setDialog({ dialog: 'import' })}>
                    {deviceTexts.importing.action}
                  </Button>
                </Permitted>
              </>
            )}
            <Permitted code={insertDevice.access}>
              <Button
                type="primary"
                icon={<PlusOutlined />}
                aria-label={deviceTexts.add}
                onClick={() => setDialog({ dialog: 'add' })}
              >
                {!isNarrow && deviceTexts.add}
              </Button>
            </Permitted>
          </>
        }
        card={(device) => ({
          lead: <CopyText text={device.code} />,
          aside: (
            <span className={styles.states}>
              {device.alarmCount > 0 && <LevelTag level={device.worstAlarmLevel} />}
              <ThrottleTag device={device} />
              <OnlineTag isOnline={connectionOf(device)} />
            </span>
          ),
          second: [device.name, shortRegion(device.regionName), device.operatorName]
            .filter(Boolean)
            .join(' · '),
          action: device.alarmCount > 0 ? <ActiveAlarms device={device} isShort /> : undefined,
        })}
        onOpen={({ id }) => row.open(id)}
        openKey={row.id}
        changedKeys={live.changedKeys}
        selection={{
          ...selection,
          nameOf: ({ code }) => code,
          actions: <SelectedDevices devices={selection.rows} />,
        }}
        live={{ count: live.isStale ? 1 : 0, text: () => deviceTexts.stale, onShow: live.show }}
        empty={emptyList(
          deviceTexts.empty,
          mayAdd && { hint: deviceTexts.emptyHint, onAdd: () => setDialog({ dialog: 'add' }) },
        )}
        emptyFiltered={deviceTexts.emptyFiltered}
      />
      {row.id && (
        <DeviceDetail
          id={row.id}
          known={live.rows.find(({ id }) => id === row.id)}
          steps={stepsFrom(live.rows, row.id, ({ id }) => row.open(id), deviceTexts.measure)}
          onClose={row.close}
          {...actions}
        />
      )}
      {dialog === 'add' && mayAdd && <DeviceDialog onSecret={setFresh} onClose={() => setDialog({})} />}
      {dialog === 'import' && mayImport && <ImportDialog onClose={() => setDialog({})} />}
      {edited && (
        <DeviceDialog
          key={edited.id}
          device={edited}
          onSecret={setFresh}
          onClose={() => setEdited(undefined)}
        />
      )}
      {fresh && <SecretDialog key={fresh.secret} fresh={fresh} onClose={() => setFresh(undefined)} />}
    </>
  )
}
