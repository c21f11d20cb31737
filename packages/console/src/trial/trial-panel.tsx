/** A panel in which an agent writes as a customer, and sees what the customer sees. */
const TrialPanel = () => <p>…</p>;
export default TrialPanel;
