// The newest values of a device, each with its unit, and the way to its curve.
import type { DeviceDetail as Device } from '@voltkeep/contract/devices'
import { parseCompartmentKey } from '@voltkeep/contract/readings'
import { texts } from '../../../lib/texts/index.ts'
import { DetailSection } from '../../../ui/detail/DetailPanel.tsx'
import { RelativeTime } from '../../../ui/time/RelativeTime.tsx'
import { useReadings } from '../cabinet/useCabinet.ts'
import { useChangedValues } from '../cabinet/useChangedValues.ts'
import styles from '../devices.module.css'
import { deviceTexts } from '../devices.texts.ts'
import { CurveLink } from './CurveLink.tsx'
import { bandOf, type CataloguedReading, figureText } from './catalogued.ts'
import { figureOf } from './device.figures.ts'
import own from './Readings.module.css'
import { groupsOf } from './readings.groups.ts'

const { detail, readings: words } = deviceTexts
/** As many have room beside another group. */
const fewFigures = 2

export function Readings({ device }: { device: Device }) {
  const query = useReadings(device.id)
  const readings = (query.data ?? []).filter(({ key }) => parseCompartmentKey(key) === null)
  const changed = useChangedValues(readings.map(({ key, value }) => [key, value]))
  const newest = readings.reduce<string | null>(
    (latest, { time }) => (latest && latest > time ? latest : time),
    null,
  )
  return (
    <DetailSection title={detail.status} aside={newest && <RelativeTime time={newest} isShort />}>
      {query.error && (
        <p className={styles.quiet} role="alert">
          {query.error.message}{' '}
          <button type="button" className="link-button" onClick={() => void query.refetch()}>
            {texts.list.retry}
          </button>
        </p>
      )}
      {query.isSuccess && readings.length === 0 && <p className={styles.quiet}>{detail.noStatus}</p>}
      <div className={own.groups} data-away={device.isOnline === 0 || undefined}>
        {groupsOf(readings).map(({ title, readings: of }) => (
          <section
            key={title}
            className={own.group}
            data-large={of.length > fewFigures || undefined}
            aria-label={title || deviceTexts.figures}
          >
            {title && <h4 className={own.title}>{title}</h4>}
            <dl className={styles.strip} aria-label={deviceTexts.figures}>
              {of.map((reading) => (
                <Figure
                  key={reading.key}
                  of={reading}
                  isChanged={changed.has(reading.key)}
                  isOlder={reading.time !== newest}
                />
              ))}
            </dl>
          </section>
        ))}
      </div>
    </DetailSection>
  )
}

function Figure({ of, isChanged, isOlder }: { of: CataloguedReading; isChanged: boolean; isOlder: boolean }) {
  const { key, value, time, hasHistory } = of
  const { name, unit } = figureOf(of)
  const band = bandOf(of)
  return (
    <div className={styles.figure} data-band={band} data-changed={isChanged || undefined}>
      <dt title={name}>{name}</dt>
      <dd>
        {typeof value === 'boolean' ? words.flag[value ? 'yes' : 'no'] : figureText(of)}
        {unit && <span className={styles.unit}>{unit}</span>}
        {band !== 'normal' && <span className={own.band}>{words.bands[band]}</span>}
        {hasHistory && <CurveLink keys={[key]} of={name} />}
        {isOlder && (
          <span className={own.older}>
            <RelativeTime time={time} isShort />
          </span>
        )}
      </dd>
    </div>
  )
}
