export default function Page() {
  return (
    <div className="column py-8">
      <h1 className="text-2xl">status</h1>
    </div>
  )
}
