import { Button, type ButtonProps } from 'antd'
import { useState } from 'react'
import type { BatchAction } from './useBatchActions.tsx'

/** An action on a batch as a button, which shows progress until the action has finished. */
export function BatchActionButton({
  action: { label, isDanger = false, act },
  ...button
}: { action: BatchAction } & Pick<ButtonProps, 'type' | 'size'>) {
  const [isBusy, setBusy] = useState(false)
  return (
    <Button
      {...button}
      danger={isDanger}
      loading={isBusy}
      onClick={async () => {
        setBusy(true)
        await act()
        setBusy(false)
      }}
    >
      {label}
    </Button>
  )
}
