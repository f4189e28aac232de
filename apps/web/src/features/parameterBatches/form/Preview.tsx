import { exportLeftOutOfBatch, previewParameterBatch } from '@voltkeep/contract/parameterBatches'
import { LeftOutFile } from '../../../ui/work/LeftOutFile.tsx'
import { WorkPreview, type WorkPreviewProps } from '../../../ui/work/WorkPreview.tsx'
import { PreviewFigures } from '../PreviewFigures.tsx'

/** What the batch would do now: how many devices, which values change, which devices are left out and why. */
export function Preview({
  asked,
  onPreview,
}: Pick<WorkPreviewProps<typeof previewParameterBatch>, 'asked' | 'onPreview'>) {
  const { trial: _trial, ...chosen } = asked
  const leftOutFile = <LeftOutFile endpoint={exportLeftOutOfBatch} asked={chosen} />
  return (
    <WorkPreview endpoint={previewParameterBatch} asked={asked} onPreview={onPreview}>
      {(preview) => (
        <PreviewFigures
          preview={preview}
          isTrialAsked={asked.trial !== undefined}
          leftOutFile={leftOutFile}
        />
      )}
    </WorkPreview>
  )
}
