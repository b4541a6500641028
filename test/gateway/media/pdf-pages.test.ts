import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pdfPages } from '../../../src/gateway/media/pdf-pages.ts'
import { makePdf, makePdfBomb } from '../../support/samples/pdf.ts'

test('pages listed in plain text are counted', () => {
  for (const pages of [1, 3, 700]) assert.equal(pdfPages(makePdf(pages)), pages)
})

test('a file made for the web says at its beginning how many pages it has', () => {
  const head =
    '%PDF-1.7\n1 0 obj\n<< /Linearized 1 /L 9000 /H [1 2] /O 3 /E 4 /N 12 /T 5 >>\nendobj\n'
  assert.equal(pdfPages(Buffer.from(head)), 12)
})

test('a file that does not say, or says nonsense, has an unknown number of pages', () => {
  const absurd = '%PDF-1.7\n<< /Linearized 1 /N 999999 >>'
  for (const text of ['%PDF-1.7 garbage', '%PDF-1.7 /Type /Pages /Count 4', absurd, '']) {
    assert.equal(pdfPages(Buffer.from(text)), undefined)
  }
})

test('a bomb is not unpacked, and the worst file has an end', () => {
  assert.equal(pdfPages(makePdfBomb(400)), undefined)
  const worst = Buffer.alloc(15 * 1024 * 1024, '/Type /Page ')
  assert.equal(pdfPages(worst), undefined)
})
