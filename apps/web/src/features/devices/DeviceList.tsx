// The list of devices in the user's scope. A row opens the page of its device.
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
import { deviceProtocols, protocolNames } from '@voltkeep/contract/protocols'
import { Button } from 'antd'
import { Suspense } from 'react'
import * as z from 'zod/mini'
import { connectionOf } from '../../lib/browser/connection.ts'
import { narrowQuery, useMedia } from '../../lib/browser/media.ts'
import { useHasShown } from '../../lib/firstShown.ts'
import { usePage } from '../../lib/pages.ts'
import { shortRegion } from '../../lib/regions.ts'
import { texts } from '../../lib/texts/index.ts'
import { useUrlState } from '../../lib/urlState.ts'
import { emptyList } from '../../ui/buttons/adding.tsx'
import { CopyText } from '../../ui/CopyText.tsx'
import { choicesOf } from '../../ui/choices/choicesOf.ts'
import { DeviceFilters } from '../../ui/choices/DeviceFilters.tsx'
import { DeviceSearch } from '../../ui/choices/DeviceSearch.tsx'
import { chosenIds } from '../../ui/choices/linked.ts'
import { openedFrom } from '../../ui/detail/useWalk.ts'
import { late } from '../../ui/late.tsx'
import { lazyDialog } from '../../ui/lazyDialog.tsx'
import { ExportButton } from '../../ui/list/ExportButton.tsx'
import { ChoiceFilter } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { useList } from '../../ui/list/useList.ts'
import { useSelection } from '../../ui/list/useSelection.ts'
import { LevelTag } from '../../ui/marks/LevelTag.tsx'
import { OnlineTag } from '../../ui/marks/OnlineTag.tsx'
import { Permitted, usePermission } from '../../ui/Permitted.tsx'
import type { DeviceActionsProps } from './DeviceActions.tsx'
import { ActiveAlarms, deviceColumns } from './devices.columns.tsx'
import styles from './devices.module.css'
import { useOpenDevice } from './devices.page.ts'
import { deviceTexts } from './devices.texts.ts'
import { PhoneActions } from './PhoneActions.tsx'
import { SelectedDevices } from './SelectedDevices.tsx'
import { ThrottleTag } from './ThrottleTag.tsx'
import { DeviceDialog, useDeviceDialogs } from './useDeviceDialogs.tsx'
import { useLiveDevices } from './useLiveDevices.ts'

/** With what they ask and send they are larger than the rest of the list: the rows do not wait for them. */
const Actions = late(async () => ({ default: (await import('./DeviceActions.tsx')).DeviceActions }))
const ImportDialog = lazyDialog(() => import('./import/ImportDialog.tsx'))

const DialogSearch = z.object({ dialog: z.optional(z.enum(['add', 'import'])) })
const linked = { ids: chosenIds }

export function DeviceList() {
  const { title } = usePage()
  const list = useList(listDevices)
  const live = useLiveDevices(list)
  const selection = useSelection<DeviceRow>(list)
  const openDevice = useOpenDevice()
  const isNarrow = useMedia(narrowQuery)
  // The dialog is part of the address: the home page of an empty installation links to it.
  const [{ dialog }, setDialog] = useUrlState(DialogSearch)
  const { actions, dialogs } = useDeviceDialogs()
  const mayAdd = usePermission(insertDevice.access)
  const mayImport = usePermission(importDevices.access)

  const open = ({ id }: DeviceRow) => openDevice(id, openedFrom(live.rows))

  const columns = [
    ...deviceColumns,
    {
      key: 'operation',
      title: texts.list.operation,
      width: 92,
      codes: [
        updateDevice.access,
        renewDeviceSecret.access,
        deleteDevice.access,
        ...Object.values(remoteActionCodes),
      ],
      fixed: 'right' as const,
      render: (device: DeviceRow) => <LateActions device={device} {...actions} onOpen={open} />,
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
            <DeviceSearch of={draft} />
            <DeviceFilters
              of={draft}
              line={styles.filters}
              own={{
                names: ['protocol'],
                filters: (
                  <ChoiceFilter
                    of={draft}
                    name="protocol"
                    label={deviceTexts.fields.protocol}
                    options={choicesOf(deviceProtocols, protocolNames)}
                  />
                ),
              }}
            />
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
          action:
            device.alarmCount + device.shelvedCount > 0 ? (
              <ActiveAlarms device={device} isShort />
            ) : undefined,
        })}
        onOpen={open}
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
      {dialog === 'add' && mayAdd && (
        <DeviceDialog onSecret={actions.onSecret} onClose={() => setDialog({})} />
      )}
      {dialog === 'import' && mayImport && <ImportDialog onClose={() => setDialog({})} />}
      {dialogs}
    </>
  )
}

function LateActions(props: DeviceActionsProps) {
  return useHasShown() ? (
    <Suspense>
      <Actions {...props} />
    </Suspense>
  ) : null
}
