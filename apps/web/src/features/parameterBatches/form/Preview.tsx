import { previewParameterBatch } from '@voltkeep/contract/parameterBatches'
import { WorkPreview, type WorkPreviewProps } from '../../../ui/work/WorkPreview.tsx'
import { PreviewFigures } from '../PreviewFigures.tsx'

/** What the batch would do now: how many devices, which values change, which devices are left out and why. */
export function Preview(asked: Pick<WorkPreviewProps<typeof previewParameterBatch>, 'asked' | 'onPreview'>) {
  return (
    <WorkPreview endpoint={previewParameterBatch} {...asked}>
      {(preview) => <PreviewFigures preview={preview} />}
    </WorkPreview>
  )
}
