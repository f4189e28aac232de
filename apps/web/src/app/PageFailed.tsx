import { useLayoutEffect } from 'react'
import { reloadWhenServed } from '../lib/browser/reload.ts'
import { dropShell } from '../lib/shell.ts'
import { texts } from '../lib/texts/index.ts'
import { EmptyState } from '../ui/EmptyState.tsx'

/** Shown in place of a page whose code failed to load or to run; the layout stays. */
export function PageFailed() {
  useLayoutEffect(dropShell, [])
  return (
    <EmptyState
      title={texts.errors.pageFailed}
      hint={texts.errors.pageFailedHint}
      action={
        <button type="button" className="button" onClick={() => void reloadWhenServed()}>
          {texts.errors.reload}
        </button>
      }
    />
  )
}
