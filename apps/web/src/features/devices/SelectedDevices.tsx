import { exportDevices } from '@voltkeep/contract/deviceImport'
import type { DeviceRow } from '@voltkeep/contract/devices'
import { copyText } from '../../ui/CopyText.tsx'
import { ExportButton } from '../../ui/list/ExportButton.tsx'
import { deviceTexts } from './devices.texts.ts'

/** The actions on the selected devices. */
export function SelectedDevices({ devices }: { devices: readonly DeviceRow[] }) {
  return (
    <>
      <ExportButton
        endpoint={exportDevices}
        filters={{ ids: devices.map(({ id }) => id) }}
        label={deviceTexts.exportChosen}
      />
      <button
        type="button"
        className="button"
        onClick={() => void copyText(devices.map(({ code }) => code).join('\n'))}
      >
        {deviceTexts.copyCodes}
      </button>
    </>
  )
}
