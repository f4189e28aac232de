import { texts } from '../lib/texts/index.ts'
import { EmptyState } from '../ui/EmptyState.tsx'
import { reloadWhenServed } from './outdated.ts'

/** A page whose code did not come or broke. The rest of the product stands. */
export function PageFailed() {
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
